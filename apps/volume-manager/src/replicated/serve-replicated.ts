import { AppError } from '@lateen/errors';
import type { CsiConfig } from './csi-config.ts';

/** @throws AppError `NOT_SUPPORTED`: the driver of replicated volumes is not in this build yet */
export async function serveReplicated({ mode }: CsiConfig): Promise<void> {
  throw new AppError('NOT_SUPPORTED', `the CSI driver of replicated volumes (mode ${mode}) is not in this build yet`);
}
