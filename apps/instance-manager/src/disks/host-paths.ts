import { join } from 'node:path';
import { checkTargetPath } from '@lateen/volume';

/** Paths in requests are the node's; here they lie below the host root. */
export interface HostPaths {
  /** Without a slash at its end. @throws AppError `INVALID_ARGUMENT` for one that is not absolute, or not in normal form */
  here(path: string, field: string): string;
}

export const hostPaths = (hostRoot: string): HostPaths => ({
  here: (path, field) => join(hostRoot, checkTargetPath(path, field)),
});
