import type { BlockTarget } from './block-target.ts';

/** Where a server listens or a client connects: a unix socket, or TCP. */
export type UnixOrTcp = { readonly path: string } | { readonly host: string; readonly port: number };

/**
 * Serves targets under export names, to any number of connections. Disposing cuts all of them and waits for their requests, without
 * bound: a target that holds requests (an engine whose failure cannot be recorded) is stopped first, with a deadline.
 */
export interface BlockServer extends AsyncDisposable {
  /** Where it listens; the port is the real one where 0 was asked for. */
  readonly endpoint: UnixOrTcp;
  /** Serves one more target, for connections made from now on. @throws AppError `EXPORT_EXISTS` */
  addExport(name: string, target: BlockTarget): void;
  /** No new connection gets this export, those it has are cut. Resolves when none of its requests runs any more, as for disposing. Absent is fine. */
  removeExport(name: string): Promise<void>;
}
