import { AppError, isAppError } from '@lateen/errors';
import type { CallOptions } from '@lateen/grpc';
import type { PluginCall, PluginStream } from '../calls/plugin-call.ts';
import type { Supervisor } from '../calls/supervisor.ts';
import type { PluginProcess } from '../process/plugin-process.ts';

export interface ConfiguredPluginOptions {
  /** Name of the plugin. */
  plugin: string;
  /** Starts processes for this user of the plugin only; each gets `prepare` before its first call. */
  supervise(prepare: PluginCall<unknown>): Supervisor;
  /** Called when they have been ended. */
  closed(supervisor: Supervisor): void;
  init(process: PluginProcess, config: Readonly<Record<string, string>>, options: CallOptions): Promise<unknown>;
}

/** A plugin that gets a config before any other call: it has processes of its own, and each new process gets the config again. */
export class ConfiguredPlugin {
  readonly #options: ConfiguredPluginOptions;
  #supervisor: Supervisor | undefined;
  #config: Readonly<Record<string, string>> = {};

  constructor(options: ConfiguredPluginOptions) {
    this.#options = options;
  }

  async init(config: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const { plugin, supervise, init } = this.#options;
    this.#config = config;
    const prepare: PluginCall<unknown> = {
      plugin,
      method: 'Init',
      repeatable: false,
      run: (process, options) => init(process, config, options),
    };
    this.#supervisor = supervise(prepare);
    await this.ask('Init', async () => {}, signal);
  }

  /** As `ask`, for an answer in pieces. */
  async *stream<T>(
    method: string,
    open: PluginStream<T>['open'],
    signal: AbortSignal,
  ): AsyncGenerator<T, void, undefined> {
    const { plugin } = this.#options;
    try {
      yield* this.#running().stream({ plugin, method, open }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#plain(error);
    }
  }

  /** Nothing is repeated. @throws as `PluginCaller.call`; messages contain no value of the config */
  async ask<T>(method: string, run: PluginCall<T>['run'], signal: AbortSignal): Promise<T> {
    const { plugin } = this.#options;
    try {
      return await this.#running().call({ plugin, method, repeatable: false, run }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#plain(error);
    }
  }

  #running(): Supervisor {
    if (this.#supervisor !== undefined) return this.#supervisor;
    throw new AppError('PLUGIN_NOT_INITIALISED', `plugin ${this.#options.plugin} was given no config`);
  }

  #plain(error: unknown): unknown {
    return isAppError(error) ? this.#withoutConfig(error) : error;
  }

  async close(): Promise<void> {
    if (this.#supervisor === undefined) return;
    await this.#supervisor.stop();
    this.#options.closed(this.#supervisor);
  }

  /** A plugin's message may repeat its config. */
  #withoutConfig(error: AppError): AppError {
    const { code, retry, nextStep, details } = error;
    const cause = isAppError(error.cause) ? this.#withoutConfig(error.cause) : plainCause(error.cause, this.#config);
    return new AppError(code, withoutValues(error.message, this.#config), {
      retry,
      details,
      ...(nextStep === undefined ? {} : { nextStep }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

const plainCause = (cause: unknown, config: Readonly<Record<string, string>>): Error | undefined =>
  cause instanceof Error ? new Error(withoutValues(cause.message, config)) : undefined;

/** Shorter values are words (`true`, a region) that a message may need. */
const valueLengthMin = 12;

function withoutValues(text: string, config: Readonly<Record<string, string>>): string {
  return Object.entries(config)
    .filter(([, value]) => value.length >= valueLengthMin)
    .reduce((result, [name, value]) => result.replaceAll(value, `[config ${name}]`), text);
}
