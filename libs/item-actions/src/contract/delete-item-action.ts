import type { Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { ResourceSelector } from './resource-selector.ts';

/** Told of each item of a backup that is deleted, so that what belongs to it outside the archive goes too. Safe to repeat. */
export interface DeleteItemAction {
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(
    item: Unstructured,
    context: Omit<ActionContext, 'volumes' | 'noteVolume'>,
    signal: AbortSignal,
  ): Promise<void>;
}
