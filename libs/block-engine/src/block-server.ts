import type { BlockTarget } from './block-target.ts';

/** Where a server listens or a client connects: a unix socket, or TCP. */
export type UnixOrTcp = { readonly path: string } | { readonly host: string; readonly port: number };

/**
 * Serves targets under export names, to any number of connections. Disposing cuts all connections and waits for their requests, without a limit: a
 * target that holds requests (an engine whose failure cannot be recorded) has to be stopped first, with a deadline.
 */
export interface BlockServer extends AsyncDisposable {
  /** Where the server listens; when port 0 was requested, this has the actual port. */
  readonly endpoint: UnixOrTcp;
  /** Adds a target, for connections made from now on. @throws AppError `EXPORT_EXISTS` */
  addExport(name: string, target: BlockTarget): void;
  /**
   * No new connection can use this export, and its existing connections are cut. Resolves when none of its requests runs any more, as for disposing.
   * Does nothing when it does not exist.
   */
  removeExport(name: string): Promise<void>;
}
