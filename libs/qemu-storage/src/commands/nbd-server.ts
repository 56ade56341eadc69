import type { UnixOrTcp } from '@lateen/block-engine';
import { socketPath } from '../absolute-path.ts';
import type { Qmp } from '../qmp/qmp.ts';
import type { CommandOptions } from './block-nodes.ts';

/** A replica has its engine, a rebuild from it, a backup and a few readers of snapshots. */
const connectionsMax = 64;

/**
 * Where the daemon serves its exports. It has one server: a unix socket or TCP, not both; a second start is refused. The port is
 * the caller's choice, the daemon does not tell which one it took for 0.
 */
export async function startNbdServer(qmp: Qmp, at: UnixOrTcp, options?: CommandOptions): Promise<void> {
  const addr =
    'path' in at
      ? { type: 'unix', data: { path: socketPath(at.path) } }
      : { type: 'inet', data: { host: at.host, port: String(at.port) } };
  await qmp.execute('nbd-server-start', { addr, 'max-connections': connectionsMax }, options);
}

/** Cuts all connections and takes the exports away. */
export async function stopNbdServer(qmp: Qmp, options?: CommandOptions): Promise<void> {
  await qmp.execute('nbd-server-stop', {}, options);
}
