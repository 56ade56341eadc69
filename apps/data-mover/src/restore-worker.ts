import { childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import { serveRestore } from '@lateen/kopia-restore/worker';
import { makeLogger } from '@lateen/logging';

/** From SIGINT to SIGKILL of the helpers that set times and zero ranges; they hold no data that could be lost. */
const graceMs = 1_000;

const helper = (program: string) => childRunner({ program, clock: systemClock, graceMs });

serveRestore({
  perl: helper('perl'),
  fallocate: helper('fallocate'),
  log: makeLogger({ level: 'info', format: 'text' }),
});
