/** One run of the engine's binary. */
export interface EngineRun {
  /** Without the binary's name. Never a secret: argv can be read by every process of the host. */
  args: readonly string[];
  /** The whole environment of the child, secrets included; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Written to the child's standard input, which is then closed. Empty when absent. */
  stdin?: string;
  /** Called with pieces of standard error as they come; borders mean nothing. */
  onStderr?: (text: string) => void;
  signal?: AbortSignal | undefined;
}

export interface EngineExit {
  /** Undefined when a signal ended the process. */
  exitCode: number | undefined;
  /** `SIGKILL` and the like. */
  endedBy: string | undefined;
  stdout: string;
  /** The last {@link engineOutputLimits}.stderrTailBytes of standard error. */
  stderr: string;
  /** True when the run was asked to end by its `signal`. */
  aborted: boolean;
}

/** Bounds on what is kept of a child's output; more is read and dropped, so that the child never blocks. */
export const engineOutputLimits = { stdoutBytesMax: 16 * 1024 * 1024, stderrTailBytes: 64 * 1024 } as const;

/**
 * Starts engine processes; the port between our code and the operating system (node:child_process in the mover, execa
 * in the controller). `run` resolves however the process ends and rejects only when it cannot be started
 * (ENGINE_NOT_STARTED). When `signal` aborts, the child gets SIGINT and, after a grace period, SIGKILL; `run` resolves
 * when it is gone, with `aborted` true.
 */
export interface EngineProcess {
  run(request: EngineRun): Promise<EngineExit>;
}
