import { EngineWords } from './engine-words.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';

/** Lines that kopia 0.22 prints in a run without any problem (log level info of `snapshot create`, `restore` and `show`). */
const routine =
  /^(Snapshotting .*\.\.\.|Restoring to .* with parallelism=\d+\.\.\.|Restored \d+ files, .*|Processed \d+ .*|.*\b\d+ hashing, \d+ hashed .*)$/;

export const kopiaWords = ({ session, log }: Pick<KopiaUploaderOptions, 'session' | 'log'>): EngineWords =>
  new EngineWords({ session, log, isRoutine: (line) => routine.test(line) });
