import { plainStderr } from '@lateen/repository';
import { EngineWords } from '../engine-words.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** The routine lines on standard error; restic 0.14 prints everything else on standard output. */
const routine = /^(using parent snapshot|no parent snapshot found|created new cache|repository .* opened)\b/;

export const resticWords = ({ session, log }: Pick<ResticUploaderOptions, 'session' | 'log'>): EngineWords =>
  new EngineWords({
    // Its errors are JSON.
    session: { redact: (line) => session.redact(plainStderr(line)) },
    log,
    isRoutine: (line) => routine.test(line),
  });
