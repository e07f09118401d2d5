-- Places for calls in flight: how many each edge has, and until when.
-- KEYS[1] the limit
-- ARGV    edge, places of all, want, milliseconds
-- Answers how many places the edge has now.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local edge, places, want, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local taken = 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if all[i] ~= edge then
    local count, till = string.match(all[i + 1], '^(%d+) (%d+)$')
    if till and tonumber(till) > now then
      taken = taken + tonumber(count)
    else
      redis.call('HDEL', KEYS[1], all[i])
    end
  end
end
local given = math.max(0, math.min(want, places - taken))
if given > 0 then
  redis.call('HSET', KEYS[1], edge, string.format('%d %.0f', given, now + ttl))
  redis.call('PEXPIRE', KEYS[1], ttl)
else
  redis.call('HDEL', KEYS[1], edge)
end
return given
