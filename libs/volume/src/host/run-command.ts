export interface CommandOptions {
  /** Ends the command (SIGINT, then SIGKILL) and rejects with the signal's reason. */
  signal: AbortSignal;
  timeoutMs: number;
  /** Exit codes that are an answer, not a failure. Only 0 by default. */
  okExitCodes?: readonly number[];
  /** The command finishes even when this process is killed: what it does must not stop half-way. */
  outlivesParent?: boolean;
}

export interface CommandResult {
  stdout: string;
  exitCode: number;
}

/**
 * Runs a program of the host by argument vector, never through a shell that sees a request's text. Output is bounded.
 * @throws AppError `COMMAND_FAILED` with details `{ command, exitCode, stderr }`; also when it takes longer than allowed.
 */
export type RunCommand = (command: string, args: readonly string[], options: CommandOptions) => Promise<CommandResult>;
