import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import { serveRestore } from './serve-restore.ts';

/** The threads of tests: like the mover's, but without a log. */
const helper = (program: string) => childRunner({ program, clock: systemClock, graceMs: 1_000 });
serveRestore({ perl: helper('perl'), fallocate: helper('fallocate'), log: silentLogger });
