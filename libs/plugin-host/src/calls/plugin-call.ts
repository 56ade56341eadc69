import type { CallOptions } from '@lateen/grpc';
import type { Logger } from '@lateen/kernel';
import type { PluginProcess } from '../process/plugin-process.ts';

export interface PluginCallOptions extends CallOptions {
  /** Something is going on: the time limit of the call begins anew. For what is sent piece by piece. */
  touch(): void;
}

/** One question to a plugin. */
export interface PluginCall<T> {
  /** Name of the plugin: `example.io/action`. */
  plugin: string;
  /** For messages: `Execute`. */
  method: string;
  /** Size of the request, where it may be large; asked when it was too large. */
  requestBytes?: () => number;
  /** Makes its request when it is its turn: the requests of all that wait would be held else. May be asked again, see `repeatable`. */
  run(process: PluginProcess, options: PluginCallOptions): Promise<T>;
  /** It may be asked again in a new process when the first has ended with it. */
  repeatable: boolean;
}

/** A question that is answered piece by piece. It is not asked again. */
export interface PluginStream<T> extends Pick<PluginCall<T>, 'plugin' | 'method'> {
  open(process: PluginProcess, options: CallOptions): AsyncIterable<T>;
}

/** What a process works for: its log lines go to the log of one run, and nothing of one run is seen by another. */
export interface PluginScope {
  /** The same for all calls of one run: `backup:UID`. */
  run: string;
  log: Logger;
}

/** Calls the plugins of one program. */
export interface PluginCaller {
  /**
   * @throws AppError PLUGIN_CALL_FAILED with the plugin's own words, PLUGIN_CALL_TIMEOUT, PLUGIN_PROGRAM_ENDED with its last words, or
   *   PLUGIN_PROGRAM_NOT_STARTED; the signal's reason on abort
   */
  call<T>(scope: PluginScope, call: PluginCall<T>, signal: AbortSignal): Promise<T>;
  /** No more calls of this run come: its processes end. Resolves when they are gone. */
  endRun(run: string): Promise<void>;
}

/** The questions of an action, which may all be asked again. */
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
