import { join } from 'node:path';
import { execa } from 'execa';

export interface SampledArguments {
  /** How often all processes were looked at. */
  samples: number;
  /** Command lines that were too many to keep. */
  dropped: number;
  /** Each command line once, its arguments ended by NUL. */
  commands: string[];
}

export interface ArgumentSampler extends AsyncDisposable {
  /** Ends the sampling. */
  end(): Promise<SampledArguments>;
}

const outputBytesMax = 256 * 1024 * 1024;

/**
 * Reads the arguments of every process of the machine, which everybody may read, many times a second. Environments are
 * not read: only root and the same user may, and they are the way by which secrets reach the engines (session-files.ts).
 */
export function sampleArguments(): ArgumentSampler {
  const program = join(import.meta.dirname, 'argument-sampler.ts');
  const options = { stdin: 'pipe', maxBuffer: outputBytesMax } as const;
  const sampler = execa(process.execPath, [program], options);
  const end = async () => {
    sampler.stdin.end();
    return JSON.parse((await sampler).stdout) as SampledArguments;
  };
  return {
    end,
    [Symbol.asyncDispose]: async () => {
      sampler.kill();
      await sampler.catch(() => {});
    },
  };
}
