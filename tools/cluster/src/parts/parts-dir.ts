import { fileURLToPath } from 'node:url';

/** The folder with one pinned Go module per part. */
export const partsDir: string = fileURLToPath(new URL('../../parts', import.meta.url));
