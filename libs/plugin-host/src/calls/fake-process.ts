import type { ChildExit } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import type { GeneratedClient, ServiceClient } from '@lateen/grpc';
import { endedError } from '../process/ended-error.ts';
import type { PluginProcess } from '../process/plugin-process.ts';

/** A process for tests of its callers: it returns the test's responses, and ends on request. */
export class FakeProcess implements PluginProcess {
  readonly #ended = new AbortController();
  readonly stops: ('asked' | 'killed')[] = [];
  healthy = true;

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  client<Server>(_make: GeneratedClient): ServiceClient<Server> {
    const check = async () => {
      if (!this.healthy) throw new AppError('UNAVAILABLE', 'check: no connection');
      return { status: 1 };
    };
    return { check } as unknown as ServiceClient<Server>;
  }

  async stop(now = false): Promise<void> {
    this.stops.push(now ? 'killed' : 'asked');
    this.end({ endedBy: 'SIGKILL' });
  }

  end(exit: Partial<ChildExit>): void {
    this.#ended.abort(
      endedError('fake', { exitCode: undefined, endedBy: undefined, stdout: '', stderr: '', aborted: false, ...exit }),
    );
  }
}
