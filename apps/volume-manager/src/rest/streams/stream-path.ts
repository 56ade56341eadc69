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
  /** Minimum time between messages. */
  readonly periodMs: number;
}

/**
 * The collection and period of `/v1/ws/<collection>` or `/v1/ws/<period>/<collection>`; undefined for any other path. An invalid period counts as 0.
 */
export function streamPathOf(url: string): StreamPath | undefined {
  const [path = ''] = url.split('?', 1);
  const [, period, collection = ''] = /^\/v1\/ws\/(?:([^/]{1,32})\/)?([a-z]+)\/?$/.exec(path) ?? [];
  if (!followed.includes(collection)) return undefined;
  const wishedMs = parseDurationMs(period ?? '0') ?? 0;
  return { collection, periodMs: Math.min(Math.max(wishedMs, 0), streamLimits.periodMsMax) };
}
