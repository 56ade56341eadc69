import type { ItemIdentifier } from '@lateen/item-actions';
import type { KindRequirement } from '@lateen/item-filters';
import type { CatalogItem } from '../engine/contract.ts';
import type { NamedResource } from './named-resources.ts';
import type { PriorityOrder } from './priorities.ts';
import type { WebhookUse } from './webhook-edges.ts';

export interface GraphRules {
  readonly order: PriorityOrder;
  readonly named: NamedResource;
  /** The namespace that a namespace of the backup is restored into. */
  mapped(namespace: string): string;
  find(item: ItemIdentifier): CatalogItem | undefined;
  /** Of the policies of the restore. */
  readonly requirements?: readonly KindRequirement[] | undefined;
  /** Webhooks that this restore brings, and that look at objects of it. */
  readonly webhooks?: readonly WebhookUse[];
}
