import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import { serveRestore } from './serve-restore.ts';

/** The threads of tests: as the mover's, and they say nothing. */
serveRestore({ perl: childRunner({ program: 'perl', clock: systemClock, graceMs: 1_000 }), log: silentLogger });
