import type { ExposeOptions } from '../exposer-ports.ts';

export interface DiagnoseOptions extends ExposeOptions {
  /** status.acceptedByNode: when that node is not ready, nobody prepares it. */
  acceptedBy?: string | undefined;
}
