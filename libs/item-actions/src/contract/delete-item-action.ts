import type { Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { ResourceSelector } from './resource-selector.ts';

/**
 * Called for each item of a backup that is being deleted, to delete what belongs to it outside of the archive. Safe to repeat.
 */
export interface DeleteItemAction {
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(
    item: Unstructured,
    context: Omit<ActionContext, 'volumes' | 'noteVolume'>,
    signal: AbortSignal,
  ): Promise<void>;
}
