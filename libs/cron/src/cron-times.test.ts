import { describe, expect, it } from 'vitest';
import { intervalMs, parseCron } from './cron-times.ts';

/** Results of robfig/cron v3 (standard parser): schedule, after, next. Times without an offset are UTC. */
const moments: readonly [string, string, string][] = [
  // Minutes and hours.
  ['* * * * *', '2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'],
  ['* * * * *', '2026-03-01T00:00:30Z', '2026-03-01T00:01:00Z'],
  ['*/15 * * * *', '2012-07-09T14:45:00Z', '2012-07-09T15:00:00Z'],
  ['*/15 * * * *', '2012-07-09T14:59:59Z', '2012-07-09T15:00:00Z'],
  ['0/15 * * * *', '2012-07-09T14:45:00Z', '2012-07-09T15:00:00Z'],
  ['20-35/15 * * * *', '2012-07-09T15:45:00Z', '2012-07-09T16:20:00Z'],
  ['5/20 * * * *', '2026-03-01T00:25:00Z', '2026-03-01T00:45:00Z'],
  ['5/20 * * * *', '2026-03-01T00:45:00Z', '2026-03-01T01:05:00Z'],
  ['1,2,,3 * * * *', '2026-03-01T00:02:00Z', '2026-03-01T00:03:00Z'],
  ['59,0 * * * *', '2026-03-01T00:00:00Z', '2026-03-01T00:59:00Z'],
  ['+7 * * * *', '2026-03-01T00:00:00Z', '2026-03-01T00:07:00Z'],
  ['*-9 * * * *', '2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'],
  ['5 */2 * * *', '2026-03-01T00:05:00Z', '2026-03-01T02:05:00Z'],
  ['  0   3 * *\t* ', '2026-03-01T03:00:00Z', '2026-03-02T03:00:00Z'],
  // Days, months, names.
  ['0 0 * * *', '2012-07-09T23:35:00Z', '2012-07-10T00:00:00Z'],
  ['0 0 1 * *', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
  ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00Z'],
  ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 1 */6 *', '2026-02-01T00:00:00Z', '2026-07-01T00:00:00Z'],
  ['0 0 * Feb *', '2026-03-01T00:00:00Z', '2027-02-01T00:00:00Z'],
  ['0 0 * FEB MON', '2012-07-09T23:35:00Z', '2013-02-04T00:00:00Z'],
  ['0 0 1 jan-mar *', '2026-03-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['0 0 * * sun', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'],
  ['0 0 * * 0', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'],
  ['0 0 * * mon-FRI', '2026-03-06T00:00:00Z', '2026-03-09T00:00:00Z'],
  ['0 0 ? * ?', '2026-03-06T00:00:00Z', '2026-03-07T00:00:00Z'],
  // With both days restricted, either one is enough. A star in one leaves it to the other; a step above 1 is a restriction.
  ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['0 0 13 * 5', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
  ['0 0 13 * *', '2026-01-02T00:00:00Z', '2026-01-13T00:00:00Z'],
  ['0 0 13 * */1', '2026-01-02T00:00:00Z', '2026-01-13T00:00:00Z'],
  ['0 0 1 * 0-6', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['0 0 */10 * Sun', '2012-07-09T00:00:00Z', '2012-07-11T00:00:00Z'],
  ['0 0 */10 * Sun', '2012-07-12T00:00:00Z', '2012-07-15T00:00:00Z'],
  ['0 0 *,5 * mon', '2026-01-01T00:00:00Z', '2026-01-05T00:00:00Z'],
  // Descriptors.
  ['@yearly', '2026-03-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['@annually', '2026-03-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['@monthly', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['@weekly', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'],
  ['@daily', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['@midnight', '2026-03-01T10:00:00Z', '2026-03-02T00:00:00Z'],
  ['@hourly', '2026-03-01T00:00:00Z', '2026-03-01T01:00:00Z'],
  // @every counts from the last time, in whole seconds.
  ['@every 1h30m', '2026-03-01T00:00:10Z', '2026-03-01T01:30:10Z'],
  ['@every 5m0s', '2026-03-01T00:00:10.900Z', '2026-03-01T00:05:10Z'],
  ['@every 90s', '2026-03-01T00:00:00Z', '2026-03-01T00:01:30Z'],
  ['@every 1.5h', '2026-03-01T00:00:00Z', '2026-03-01T01:30:00Z'],
  ['@every 10ms', '2026-03-01T00:00:00Z', '2026-03-01T00:00:01Z'],
  ['@every 1500ms', '2026-03-01T00:00:00Z', '2026-03-01T00:00:01Z'],
  ['@every 0', '2026-03-01T00:00:00Z', '2026-03-01T00:00:01Z'],
  ['TZ=Asia/Tokyo @every 24h', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  // Zones.
  ['TZ=Asia/Tokyo 0 9 * * *', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['CRON_TZ=Asia/Tokyo 0 9 * * *', '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z'],
  ['CRON_TZ=Asia/Kolkata   30 5 * * *', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['TZ=UTC 0 9 * * *', '2026-03-01T00:00:00Z', '2026-03-01T09:00:00Z'],
  ['TZ= 0 9 * * *', '2026-03-01T00:00:00Z', '2026-03-01T09:00:00Z'],
  ['TZ=Europe/Berlin @daily', '2026-07-01T00:00:00Z', '2026-07-01T22:00:00Z'],
  ['TZ=America/New_York 0 0 1 * *', '2026-03-01T06:00:00Z', '2026-04-01T00:00:00-04:00'],
  // Clocks go forward: a skipped time does not occur on that day.
  ['TZ=America/New_York 30 2 11 Mar ?', '2012-03-11T00:00:00-05:00', '2013-03-11T02:30:00-04:00'],
  ['TZ=America/New_York 0 * * * ?', '2012-03-11T01:00:00-05:00', '2012-03-11T03:00:00-04:00'],
  ['TZ=America/New_York 0 1 * * ?', '2012-03-11T01:00:00-05:00', '2012-03-12T01:00:00-04:00'],
  ['TZ=America/New_York 0 2 * * ?', '2012-03-11T00:00:00-05:00', '2012-03-12T02:00:00-04:00'],
  ['TZ=America/New_York 0 3 * * ?', '2012-03-11T00:00:00-05:00', '2012-03-11T03:00:00-04:00'],
  ['TZ=Europe/Berlin */20 2 * * *', '2026-03-29T00:30:00Z', '2026-03-30T00:00:00Z'],
  ['TZ=America/Sao_Paulo 0 9 22 * ?', '2018-02-14T05:00:00-05:00', '2018-02-22T07:00:00-05:00'],
  ['TZ=America/Sao_Paulo 0 0 * * *', '2018-11-03T12:00:00-03:00', '2018-11-05T00:00:00-02:00'],
  ['TZ=Australia/Lord_Howe 15 2 * * *', '2026-10-03T00:00:00Z', '2026-10-05T02:15:00+11:00'],
  // Clocks go back: a repeated time occurs twice.
  ['TZ=America/New_York 30 2 04 Nov ?', '2012-11-04T00:00:00-04:00', '2012-11-04T02:30:00-05:00'],
  ['TZ=America/New_York 30 1 04 Nov ?', '2012-11-04T01:45:00-04:00', '2012-11-04T01:30:00-05:00'],
  ['TZ=America/New_York 0 * * * ?', '2012-11-04T00:00:00-04:00', '2012-11-04T01:00:00-04:00'],
  ['TZ=America/New_York 0 * * * ?', '2012-11-04T01:00:00-04:00', '2012-11-04T01:00:00-05:00'],
  ['TZ=America/New_York 0 * * * ?', '2012-11-04T01:00:00-05:00', '2012-11-04T02:00:00-05:00'],
  ['TZ=America/New_York 0 1 * * ?', '2012-11-04T01:00:00-05:00', '2012-11-05T01:00:00-05:00'],
  ['TZ=Europe/Berlin 0 0 * * *', '2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'],
];

describe('parseCron', () => {
  it.each(moments)('%s after %s: %s', (text, after, next) => {
    const found = parseCron(text).next(Date.parse(after));
    expect(new Date(found ?? 0).toISOString()).toBe(new Date(next).toISOString());
  });

  it.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['0 * * * * *', 'expected exactly 5 fields, found 6: [0 * * * * *]'],
    ['TZ=UTC', 'expected exactly 5 fields, found 0: []'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * 32 * *', 'end of range (32) above maximum (31): 32'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['30-10 * * * *', 'beginning of range (30) beyond end of range (10): 30-10'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/1/2 * * * *', 'too many slashes: */1/2'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['* * * janu *', 'failed to parse int from janu: strconv.Atoi: parsing "janu": invalid syntax'],
    ['mon * * * *', 'failed to parse int from mon: strconv.Atoi: parsing "mon": invalid syntax'],
    ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['0 0 L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['0 0 * * 5#2', 'failed to parse int from 5#2: strconv.Atoi: parsing "5#2": invalid syntax'],
    ['*/-2 * * * *', 'negative number (-2) not allowed: -2'],
    [
      '*/99999999999999999999 * * * *',
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
    ['@often', 'unrecognized descriptor: @often'],
    ['@Daily', 'unrecognized descriptor: @Daily'],
    ['@every', 'unrecognized descriptor: @every'],
    ['@toString', 'unrecognized descriptor: @toString'],
    ['@every ', 'failed to parse duration @every : time: invalid duration ""'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['@every 10', 'failed to parse duration @every 10: time: missing unit in duration "10"'],
    ['@every 1d', 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"'],
    ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
    ['TZ=+01:00 * * * * *', 'provided bad location +01:00: unknown time zone +01:00'],
  ])('rejects "%s" with the message of robfig/cron', (text, message) => {
    expect(() => parseCron(text)).toThrow(expect.objectContaining({ code: 'CRON_INVALID', message }));
  });

  it.each(['0 0 30 2 *', '0 0 31 4,6 *', ', * * * *', 'TZ=Europe/Berlin 0 0 31 11 *'])('%s never comes', (text) => {
    expect(parseCron(text).next(Date.parse('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it('returns only times that exist on the wall clock, over years and clock changes', () => {
    const rows = ['TZ=Europe/Berlin 30 2 * * sun', 'TZ=Africa/Casablanca 0 2 * * *', 'TZ=Asia/Tehran 15 0 21-23 3,9 *'];
    for (const text of rows) {
      const zone = text.split(' ')[0]?.slice('TZ='.length) ?? '';
      const times = parseCron(text);
      let atMs = Date.parse('2021-01-01T00:00:00Z');
      for (let count = 0; count < 200; count++) {
        const nextMs = times.next(atMs) ?? Number.NaN;
        const [hour, minute] = wallClock(nextMs, zone);
        expect(text).toContain(`${minute} ${hour} `);
        expect(nextMs).toBeGreaterThan(atMs);
        atMs = nextMs;
      }
    }
  });
});

const wallClock = (atMs: number, timeZone: string): number[] =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' })
    .format(atMs)
    .split(':')
    .map(Number);

describe('intervalMs', () => {
  it.each([
    ['@every 6h', 21_600_000],
    ['0 3 * * *', 86_400_000],
    ['*/5 * * * *', 300_000],
    ['0 0 30 2 *', undefined],
  ])('%s', (text, ms) => {
    expect(intervalMs(parseCron(text), Date.parse('2026-01-01T00:00:00Z'))).toBe(ms);
  });
});
