import { fileURLToPath } from 'node:url';

/** `.lateen/cluster` at the root of this checkout. */
export const defaultClusterDir: string = fileURLToPath(new URL('../../../../.lateen/cluster', import.meta.url));
