/** One run of a program. */
export interface ChildRun {
  /** Without the program's name. Never a secret: argv can be read by every process of the host. */
  args: readonly string[];
  /** The whole environment of the child, secrets included; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Open files of ours that the child gets too, as its descriptors 3, 4 and so on. They can be closed when it runs. */
  files?: readonly number[] | undefined;
  /** Working directory of the child; ours when absent. */
  cwd?: string;
  /**
   * Written to the child's standard input, which is then closed. Empty when absent. A source (a Readable is one) is read
   * as fast as the child reads: a chunk may be used again once the next one is asked for. A child that ends before it
   * has read everything is no error of the run; its exit tells.
   */
  stdin?: string | AsyncIterable<Uint8Array>;
  /**
   * Gets standard output piece by piece instead of `ChildExit.stdout`, which then stays empty. The child is held back
   * while a returned promise is pending; all of them have settled when `run` resolves, unless the run was aborted.
   */
  onStdout?: (chunk: Buffer) => void | Promise<void>;
  /** Called once, when the child runs. */
  onStart?: (pid: number) => void;
  /** Called with pieces of standard error as they come; borders mean nothing. */
  onStderr?: (text: string) => void;
  signal?: AbortSignal | undefined;
}

export interface ChildExit {
  /** Undefined when a signal ended the process. */
  exitCode: number | undefined;
  /** `SIGKILL` and the like. */
  endedBy: string | undefined;
  /** Its first {@link childOutputLimits}.stdoutBytesMax; empty when `onStdout` took it. */
  stdout: string;
  /** The last {@link childOutputLimits}.stderrTailBytes of standard error. */
  stderr: string;
  /** True when the run was asked to end by its `signal`. */
  aborted: boolean;
}

/** Bounds on what is kept of a child's output; more is read and dropped, so that the child never blocks. */
export const childOutputLimits = { stdoutBytesMax: 16 * 1024 * 1024, stderrTailBytes: 64 * 1024 } as const;

/** From SIGINT to the end of a streamed input: long enough for any child to have taken note of the signal first. */
export const inputCloseMs = 500;

/**
 * Runs one program; the port between our code and the processes of the operating system. `run` resolves however the process ends. It rejects when the process cannot be started
 * (PROGRAM_NOT_STARTED), and with the error of the `stdin` source or of `onStdout`, after the child was ended as by an
 * abort: a child must never take the part it got for the whole.
 * When `signal` aborts, the child gets SIGINT, a streamed input is closed {@link inputCloseMs} later (a child that waits for
 * input would not see the signal), and after a grace period comes SIGKILL; `run` resolves when it is gone, with
 * `aborted` true.
 */
export interface ChildRunner {
  run(request: ChildRun): Promise<ChildExit>;
}
