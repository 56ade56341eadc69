import { contentVerifier } from '@lateen/kopia-check';
import type { ContentKeys } from '@lateen/kopia-format';
import { serveTasks } from '@lateen/worker-pool';

/** The program of the threads that decode what a check has read. */
serveTasks(async ({ keys }: { keys: ContentKeys }) => ({ run: await contentVerifier(keys) }));
