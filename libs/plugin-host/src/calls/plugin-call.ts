import type { CallOptions } from '@lateen/grpc';
import type { Logger } from '@lateen/kernel';
import type { PluginProcess } from '../process/plugin-process.ts';

export interface PluginCallOptions extends CallOptions {
  /** Restarts the time limit of the call because there is progress. For data that is sent piece by piece. */
  touch(): void;
}

/** One call to a plugin. */
export interface PluginCall<T> {
  /** Name of the plugin: `example.io/action`. */
  plugin: string;
  /** Method name for messages: `Execute`. */
  method: string;
  /** Size of the request, where it may be large; called when the request was too large. */
  requestBytes?: () => number;
  /**
   * Makes the request when the call's turn comes: otherwise the requests of all waiting calls would be in memory. May be called again, see
   * `repeatable`.
   */
  run(process: PluginProcess, options: PluginCallOptions): Promise<T>;
  /** The call may be repeated in a new process when the first process ended during it. */
  repeatable: boolean;
}

/** A call that is answered piece by piece. It is not repeated. */
export interface PluginStream<T> extends Pick<PluginCall<T>, 'plugin' | 'method'> {
  open(process: PluginProcess, options: CallOptions): AsyncIterable<T>;
}

/** The run that a process works for: its log lines go to that run's log, and runs share no data. */
export interface PluginScope {
  /** The same for all calls of one run: `backup:UID`. */
  run: string;
  log: Logger;
}

/** Calls the plugins of one program. */
export interface PluginCaller {
  /**
   * @throws AppError PLUGIN_CALL_FAILED with the plugin's message, PLUGIN_CALL_TIMEOUT, PLUGIN_PROGRAM_ENDED with the program's last output, or
   * PLUGIN_PROGRAM_NOT_STARTED; the signal's reason on abort
   */
  call<T>(scope: PluginScope, call: PluginCall<T>, signal: AbortSignal): Promise<T>;
  /** The run makes no more calls: its processes are ended. Resolves when they have ended. */
  endRun(run: string): Promise<void>;
}

/** Makes the calls of an action, which are all repeatable. */
export const asking =
  (plugin: string, caller: PluginCaller) =>
  <T>(
    method: string,
    scope: PluginScope,
    run: PluginCall<T>['run'],
    signal: AbortSignal,
    requestBytes = () => 0,
  ): Promise<T> =>
    caller.call(scope, { plugin, method, requestBytes, repeatable: true, run }, signal);
