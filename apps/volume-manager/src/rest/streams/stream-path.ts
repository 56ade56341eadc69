import { parseDurationMs } from '@lateen/kernel';
import { streamLimits } from './stream-limits.ts';

/** Collections that can be followed. */
const followed: readonly string[] = [
  ...['settings', 'volumes', 'recurringjobs', 'orphans', 'shardgroups', 'shards', 'nodes', 'engineimages'],
  ...['backingimages', 'backupbackingimages', 'backupvolumes', 'backuptargets', 'backups', 'systembackups'],
  ...['systemrestores', 'events', 'volumeattachments'],
];

export interface StreamPath {
  readonly collection: string;
  /** Messages are at least so far apart. */
  readonly periodMs: number;
}

/** What `/v1/ws/<collection>` or `/v1/ws/<period>/<collection>` asks for; undefined for any other path. A period that is none counts as 0. */
export function streamPathOf(url: string): StreamPath | undefined {
  const [path = ''] = url.split('?', 1);
  const [, period, collection = ''] = /^\/v1\/ws\/(?:([^/]{1,32})\/)?([a-z]+)\/?$/.exec(path) ?? [];
  if (!followed.includes(collection)) return undefined;
  const wishedMs = parseDurationMs(period ?? '0') ?? 0;
  return { collection, periodMs: Math.min(Math.max(wishedMs, 0), streamLimits.periodMsMax) };
}
