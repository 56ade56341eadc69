import { join } from 'node:path';
import { execa } from 'execa';

export interface SampledArguments {
  /** How often all processes were read. */
  samples: number;
  /** Number of command lines that exceeded the limit. */
  dropped: number;
  /** Each command line once, with its arguments terminated by NUL. */
  commands: string[];
}

export interface ArgumentSampler extends AsyncDisposable {
  /** Stops the sampling. */
  end(): Promise<SampledArguments>;
}

const outputBytesMax = 256 * 1024 * 1024;

/**
 * Reads the arguments of every process of the machine, which are readable for all users, many times a second. Does not read environments:
 * only root and the same user can read them, and secrets are passed to engines in them (session-files.ts).
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
