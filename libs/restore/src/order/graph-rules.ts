import type { ItemIdentifier } from '@lateen/item-actions';
import type { KindRequirement } from '@lateen/item-filters';
import type { CatalogItem } from '../engine/contract.ts';
import type { NamedResource } from './named-resources.ts';
import type { PriorityOrder } from './priorities.ts';
import type { WebhookUse } from './webhook-edges.ts';

export interface GraphRules {
  readonly order: PriorityOrder;
  readonly named: NamedResource;
  /** The target namespace of a namespace of the backup. */
  mapped(namespace: string): string;
  find(item: ItemIdentifier): CatalogItem | undefined;
  /** The requirements of the restore's policies. */
  readonly requirements?: readonly KindRequirement[] | undefined;
  /** Webhooks that are part of this restore and are called for its objects. */
  readonly webhooks?: readonly WebhookUse[];
}
