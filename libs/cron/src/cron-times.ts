import { Cron } from 'croner';
import { type AllowedValues, cronFields, parseCronField } from './cron-field.ts';
import { cronInvalid } from './cron-invalid.ts';
import { everyMs } from './every.ts';
import { type TimeZone, timeZone } from './time-zone.ts';

/** The moments of a schedule. */
export interface CronTimes {
  /** The first one after `afterMs` (epoch); undefined when there is none within five years. */
  next(afterMs: number): number | undefined;
}

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const minuteMs = 60_000;
const fiveYearsMs = (5 * 365 + 1) * 86_400_000;

/**
 * Reads a schedule as robfig/cron v3 does with its standard parser (backup-and-restore.md section 8): five fields, descriptors,
 * `@every`, `TZ=` or `CRON_TZ=` in front; UTC without it.
 *
 * A moment is when the clock on the wall of the zone shows it: where clocks go forward the times in between do not come that day,
 * where they go back those that come twice count twice, as in Velero.
 * @throws CRON_INVALID with the words of robfig
 */
export function parseCron(text: string): CronTimes {
  if (text === '') throw cronInvalid('empty spec string');
  const { zone, rest } = zoneOf(text);
  if (rest.startsWith('@every ')) {
    const ms = everyMs(rest);
    return { next: (afterMs) => Math.floor(afterMs / 1_000) * 1_000 + ms };
  }
  const fields = rest.startsWith('@') ? described(rest) : rest;
  const walls = wallTimes(fields);
  return { next: (afterMs) => nextIn(zone, walls, afterMs) };
}

function zoneOf(text: string): { zone: TimeZone; rest: string } {
  const name = /^(?:CRON_)?TZ=(\S*)/.exec(text)?.[1];
  const zone = timeZone(name ?? '');
  if (zone === undefined) throw cronInvalid(`provided bad location ${name}: unknown time zone ${name}`);
  return { zone, rest: name === undefined ? text : text.slice(text.indexOf('=') + 1 + name.length).trim() };
}

function described(text: string): string {
  const fields = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (fields === undefined) throw cronInvalid(`unrecognized descriptor: ${text}`);
  return fields;
}

/** The first time on the wall after another one, both as if they were UTC. */
type WallTimes = (afterMs: number) => number | undefined;

/** Days, months and leap years are croner's; it gets numbers only, since it takes more than robfig does. */
function wallTimes(text: string): WallTimes {
  const fields = text.trim().split(/\s+/).filter(Boolean);
  if (fields.length !== cronFields.length)
    throw cronInvalid(`expected exactly ${cronFields.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  const allowed = cronFields.map((field, at) => parseCronField(fields[at] ?? '', field));
  // A list of commas alone.
  if (allowed.some((values) => values.length === 0)) return () => undefined;
  const cron = new Cron(allowed.map(written).join(' '), { timezone: 'UTC' });
  return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime();
}

const written = (values: AllowedValues): string => (values === '*' ? '*' : values.join(','));

/** From one change of the clocks to the next, wall time and UTC go side by side. */
function nextIn(zone: TimeZone, walls: WallTimes, afterMs: number): number | undefined {
  const limitMs = afterMs + fiveYearsMs;
  let sinceMs = afterMs;
  let wallMs = afterMs + zone.offsetMs(afterMs);
  while (sinceMs <= limitMs) {
    const offsetMs = zone.offsetMs(sinceMs);
    const foundMs = walls(wallMs);
    const atMs = foundMs === undefined ? limitMs : Math.min(foundMs - offsetMs, limitMs);
    const changeMs = zone.nextChange(sinceMs, atMs);
    if (changeMs === undefined) return foundMs === undefined || atMs >= limitMs ? undefined : atMs;
    sinceMs = changeMs;
    // What the wall shows at the change itself counts too.
    wallMs = changeMs + zone.offsetMs(changeMs) - 1;
  }
  return undefined;
}

/** How far the next two moments after `nowMs` are from each other, in ms; undefined when there are not two. */
export function intervalMs(times: CronTimes, nowMs: number): number | undefined {
  const first = times.next(nowMs - (nowMs % minuteMs));
  const second = first === undefined ? undefined : times.next(first);
  return first === undefined || second === undefined ? undefined : second - first;
}
