import type { Call, InstanceHost, OpenedSnapshot, OpenSnapshot, StatusLink } from '@lateen/block-engine';
import type { Clock, Logger } from '@lateen/kernel';
import { exportName } from './export-name.ts';

export interface LeasePorts {
  host: Pick<InstanceHost, 'openSnapshot'>;
  /** An export of its storage daemons. */
  connect(port: number, exportName: string, signal: AbortSignal): Promise<StatusLink>;
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  log: Logger;
}

export interface LeasedSnapshot {
  readonly opened: OpenedSnapshot;
  /** Disposing it ends the renewal too. */
  readonly link: StatusLink;
}

/**
 * A snapshot of a replica, opened for reading. While it is read its lease is renewed; it ends with the link or the signal.
 * @throws as `openSnapshot` of the host; `LINK_LOST`, `LINK_REFUSED`
 */
export async function openLeased(ports: LeasePorts, request: OpenSnapshot, { signal }: Call): Promise<LeasedSnapshot> {
  const { host, clock, log } = ports;
  const opened = await host.openSnapshot(request, { signal });
  const link = await ports.connect(opened.port, exportName(await ports.exportKey(), opened.export), signal);
  const renewing = new AbortController();
  void link.closed.then(() => renewing.abort());
  const ends = AbortSignal.any([signal, renewing.signal]);
  const renew = async () => {
    while (!ends.aborted) {
      await clock.sleep(opened.leaseMs / 3, ends);
      await host.openSnapshot(request, { signal: ends }).catch((error: unknown) => {
        // Who reads it ends with the link when the source closes it; what cannot be asked now is asked again.
        if (!ends.aborted) log.debug({ snapshot: request.snapshot, err: error }, 'a lease could not be renewed');
      });
    }
  };
  renew().catch(() => {});
  return { opened, link: withEnd(link, () => renewing.abort()) };
}

function withEnd(link: StatusLink, end: () => void): StatusLink {
  return new Proxy(link, {
    get: (target, property) => {
      if (property === Symbol.asyncDispose)
        return async () => {
          end();
          await target[Symbol.asyncDispose]();
        };
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
