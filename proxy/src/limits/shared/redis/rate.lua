-- Calls of one rate: when the next one is due, in microseconds by the clock of this server.
-- KEYS[1] the limit
-- ARGV    interval, tolerance, hold, want, more, debt, back, back_given, renew, renew_given, known, others
-- Answers how many calls are given, whether those to renew may be held from now on, how long to wait for another call, when the
-- next one is due, and what time it is.
local time = redis.call('TIME')
-- Smaller numbers have more digits left for fractions.
local now = (tonumber(time[1]) - 1700000000) * 1000000 + tonumber(time[2])
local arg = {}
for i = 1, #ARGV do
  arg[i] = tonumber(ARGV[i])
end
local interval, tolerance, hold, want, more = arg[1], arg[2], arg[3], arg[4], arg[5]
local debt, back, back_given, renew, renew_given = arg[6], arg[7], arg[8], arg[9], arg[10]
local known, others = arg[11], arg[12]
-- What was given and not used is taken off again, but only if whatever was given or used after it is still counted as late as
-- it may be used. `slack` is how much may be taken off of all that was given since `since`; what is older stays.
local plenty = 1e15
local due, since, slack = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+) (%S+)$')
if due then
  due, since, slack = tonumber(due), tonumber(since), tonumber(slack)
  if back_given >= since then
    local taken_off = math.min(back * interval, slack)
    due, slack = due - taken_off, slack - taken_off
  end
elseif known > now then
  -- It was lost: the edge knows how far it was, and others may have been given more since.
  due, since, slack = known + others, now, plenty
else
  due, since, slack = now, now, plenty
end
if due < now then
  due, since, slack = now, now, plenty
end
-- Calls that were made already count in any case.
if debt > 0 then
  slack = math.min(slack, due - now)
  due = due + debt * interval
end
if slack < interval then
  since, slack = now, plenty
end
-- Calls that are held longer are taken off and given again.
local again = renew * interval
local renewed = renew > 0 and renew_given >= since and again <= slack and due <= now + tolerance
if renewed then
  due = math.max(due - again, now)
  if slack < plenty then
    slack = slack - again
  end
else
  renew = 0
end
local room = math.max(0, math.floor((now + tolerance - due) / interval + 0.000001) - renew)
local given = math.min(want, room)
given = given + math.min(more, math.floor((room - given) / 2))
if given + renew > 0 then
  -- They may be made as late as this.
  if due < now + hold then
    due, since, slack = now + hold, now, plenty
  else
    slack = math.min(slack, due - now - hold)
    if slack < interval then
      since, slack = now, plenty
    end
  end
  due = due + (given + renew) * interval
end
-- A clock that was set back must not stop the limit for long.
due = math.min(due, now + 2 * (tolerance + hold + others))
local wait = math.max(0, math.ceil(due + interval - tolerance - now))
local left = math.ceil(math.max(0, due - now) / 1000) + 1000
redis.call('SET', KEYS[1], string.format('%.3f %.0f %.3f', due, since, slack), 'PX', left)
return {given, renewed and 1 or 0, wait, math.floor(due), now}
