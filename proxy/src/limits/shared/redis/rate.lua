-- Calls of one rate: when the next one is due, in microseconds by the clock of this server.
-- KEYS[1] the limit
-- ARGV    interval, tolerance, hold, want, debt, back, known, others
-- Answers how many calls are given, how long to wait for another one, and when the next one is due.
local time = redis.call('TIME')
-- Smaller numbers have more digits left for fractions.
local now = (tonumber(time[1]) - 1700000000) * 1000000 + tonumber(time[2])
local interval, tolerance, hold = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local want, debt, back = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local known, others = tonumber(ARGV[7]), tonumber(ARGV[8])
local due = tonumber(redis.call('GET', KEYS[1]) or false)
if due then
  due = due - back * interval
elseif known > now then
  -- It was lost: the edge knows how far it was, and others may have been given more since.
  due = known + others - back * interval
else
  due = now
end
-- Calls that were made already count in any case.
due = math.max(due, now) + debt * interval
local given = math.floor((now + tolerance - due) / interval + 0.000001)
given = math.max(0, math.min(want, given))
if given > 0 then
  -- They may be made as late as this.
  due = math.max(due, now + hold) + given * interval
end
-- A clock that was set back must not stop the limit for long.
due = math.min(due, now + 2 * (tolerance + hold + others))
local wait = 0
if given < want then
  wait = math.max(1, math.ceil(due + interval - tolerance - now))
end
if due > now then
  redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', math.ceil((due - now) / 1000) + 1000)
else
  redis.call('DEL', KEYS[1])
end
return {given, wait, math.floor(due)}
