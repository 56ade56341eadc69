import { AppError } from '@lateen/errors';
import type { ActionContext } from '../contract/action-context.ts';
import type { MaybePromise } from '../contract/maybe-promise.ts';
import type { LocationConfig } from '../contract/volume-snapshotter.ts';

type Make<Made> = (config: LocationConfig, context: ActionContext) => MaybePromise<Made>;

/**
 * Stores or snapshotters by name. Calls name no location: they are for the one whose configuration came last, which is how
 * Velero uses them.
 */
export class MadeInstances<Made> {
  readonly #made = new Map<string, Made>();

  /** Creates it again. If that fails, the earlier one stays. */
  async init(make: Make<Made>, config: LocationConfig, context: ActionContext): Promise<void> {
    this.#made.set(context.name, await make(config, context));
  }

  /** @throws PLUGIN_NOT_INITIALISED */
  get(name: string): Made {
    const made = this.#made.get(name);
    if (made === undefined) {
      throw new AppError('PLUGIN_NOT_INITIALISED', `${name} was called before it was given its configuration`, {
        retry: 'soon',
        nextStep: 'Its host calls Init first.',
      });
    }
    return made;
  }
}
