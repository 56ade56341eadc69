import { type BackupItemAction, type ItemBlockAction, selectsResource } from '@lateen/item-actions';
import { apiVersionOf, type DiscoveredType, groupResourceText } from '@lateen/kube';

/** A resource type in one version, with facts that are needed for each of its objects. */
export interface ItemType {
  readonly type: DiscoveredType;
  /** `pods`, `deployments.apps`. */
  readonly groupResource: string;
  /** apiVersion and kind as in the resource list: `apps/v1/Deployment`. */
  readonly gvk: string;
  /** The actions that may apply to objects of this type; each also selects by namespace and labels. */
  readonly actions: readonly BackupItemAction[];
  readonly blockActions: readonly ItemBlockAction[];
  /** Whether its objects may be part of item blocks. */
  readonly inBlocks: boolean;
}

export interface EngineActions {
  /** In the order in which they run. */
  readonly backup: readonly BackupItemAction[];
  readonly block: readonly ItemBlockAction[];
  /** Whether PersistentVolumes are part of item blocks too: their snapshots are taken between the hooks of their pods. */
  readonly volumesInBlocks?: boolean;
}

export function itemType(type: DiscoveredType, actions: EngineActions): ItemType {
  const groupResource = groupResourceText(type);
  const blockActions = actions.block.filter(({ appliesTo }) => selectsResource(appliesTo, groupResource));
  return {
    type,
    groupResource,
    gvk: `${apiVersionOf(type)}/${type.kind}`,
    actions: actions.backup.filter(({ appliesTo }) => selectsResource(appliesTo, groupResource)),
    blockActions,
    inBlocks: blockActions.length > 0 || (groupResource === 'persistentvolumes' && (actions.volumesInBlocks ?? false)),
  };
}
