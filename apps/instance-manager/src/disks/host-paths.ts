import { join } from 'node:path';
import { checkTargetPath } from '@lateen/volume';

/** Paths in requests are paths of the node; this container sees them below the host root. */
export interface HostPaths {
  /** Without a trailing slash. @throws AppError `INVALID_ARGUMENT` for a path that is not absolute or not normalized */
  here(path: string, field: string): string;
}

export const hostPaths = (hostRoot: string): HostPaths => ({
  here: (path, field) => join(hostRoot, checkTargetPath(path, field)),
});
