import type { Call, InstanceHost, OpenedSnapshot, OpenSnapshot, StatusLink } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { type Clock, type Logger, orAborted, type Random, settledOrAborted } from '@lateen/kernel';
import { exportName } from './export-name.ts';

export interface LeasePorts {
  host: Pick<InstanceHost, 'openSnapshot' | 'closeSnapshot'>;
  /** Connects to an export of its storage daemons. */
  connect(port: number, exportName: string, signal: AbortSignal): Promise<StatusLink>;
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  /** Of the names of readers. */
  random: Random;
  log: Logger;
}

export interface LeasedSnapshot {
  readonly opened: OpenedSnapshot;
  /** Disposing it also ends the lease, and resolves when the instance manager has confirmed it or cannot be reached. */
  readonly link: StatusLink;
}

/** A host that has not answered within this time hangs; its lease expires. */
const closeMs = 5_000;

/**
 * A snapshot of a replica, opened for reading. While it is read, its lease is renewed; the lease is ended when the link is disposed of or lost, and
 * when opening fails half-way. After an abort of the signal it is not renewed any more.
 * @throws as `openSnapshot` of the host; `LINK_LOST`, `LINK_REFUSED`
 */
export async function openLeased(
  ports: LeasePorts,
  wanted: Omit<OpenSnapshot, 'reader'>,
  { signal }: Call,
): Promise<LeasedSnapshot> {
  const request = { ...wanted, reader: ports.random.uuid() };
  const opened = await opening(ports, request, signal);
  const link = await connected(ports, request, opened, signal);
  const done = new AbortController();
  const renewal = renew(ports, { request, leaseMs: opened.leaseMs }, AbortSignal.any([signal, done.signal]));
  const closed = settledOrAborted(link.closed, done.signal).then(async () => {
    done.abort();
    // A renewal that arrived after the close would open it again.
    await renewal;
    await tellDone(ports, request);
  });
  const end = async () => {
    done.abort();
    await closed;
  };
  return { opened, link: withEnd(link, end) };
}

async function opening(ports: LeasePorts, request: OpenSnapshot, signal: AbortSignal): Promise<OpenedSnapshot> {
  try {
    return await ports.host.openSnapshot(request, { signal });
  } catch (error) {
    // If the host has refused, it is not open. Otherwise that is unknown.
    if (signal.aborted || isAppError(error, 'HOST_UNREACHABLE')) await tellDone(ports, request);
    throw error;
  }
}

async function connected(ports: LeasePorts, request: OpenSnapshot, opened: OpenedSnapshot, signal: AbortSignal) {
  try {
    return await ports.connect(opened.port, exportName(await ports.exportKey(), opened.export), signal);
  } catch (error) {
    await tellDone(ports, request);
    throw error;
  }
}

/** Until `ends` aborts. Never rejects. */
async function renew(
  { host, clock, log }: LeasePorts,
  { request, leaseMs }: { request: OpenSnapshot; leaseMs: number },
  ends: AbortSignal,
): Promise<void> {
  while (!ends.aborted) {
    try {
      await clock.sleep(leaseMs / 3, ends);
      await orAborted(host.openSnapshot(request, { signal: ends }), ends);
    } catch (error) {
      // If the source closes it, the reader sees the end of the link; a renewal that failed is retried.
      if (!ends.aborted) log.debug({ snapshot: request.snapshot, err: error }, 'a lease could not be renewed');
    }
  }
}

/** Best effort: without it the lease expires, and merges of the snapshot wait for that. Never rejects. */
async function tellDone({ host, clock, log }: LeasePorts, request: OpenSnapshot): Promise<void> {
  // Not the reader's signal: the close has to be sent also after an abort.
  const signal = clock.deadline(closeMs);
  try {
    await orAborted(host.closeSnapshot(request, { signal }), signal);
  } catch (error) {
    const { replica, snapshot } = request;
    // Instance managers outlive upgrades: one of an earlier release does not have the call.
    if (isAppError(error, 'API_VERSION')) log.debug({ replica, snapshot }, 'the lease of a snapshot expires by itself');
    else log.info({ replica, snapshot, err: error }, 'a snapshot could not be closed; its lease expires by itself');
  }
}

function withEnd(link: StatusLink, end: () => Promise<void>): StatusLink {
  return new Proxy(link, {
    get: (target, property) => {
      if (property === Symbol.asyncDispose)
        return async () => {
          try {
            await target[Symbol.asyncDispose]();
          } finally {
            await end();
          }
        };
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
