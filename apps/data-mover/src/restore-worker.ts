import { childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import { serveRestore } from '@lateen/kopia-restore/worker';
import { makeLogger } from '@lateen/logging';

/** From SIGINT to SIGKILL of the helper that sets times; it holds no data that could be lost. */
const graceMs = 1_000;

serveRestore({
  perl: childRunner({ program: 'perl', clock: systemClock, graceMs }),
  log: makeLogger({ level: 'info', format: 'text' }),
});
