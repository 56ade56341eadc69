import { always, struct } from '../json/go-struct.ts';
import { text } from '../json/go-type.ts';

/**
 * Names one object in the files of a backup. The keys are capitalised there, since Velero's type has no JSON tags
 * (object-store-layout.md section 5.2); readers take any case.
 */
export interface ResourceIdentifier {
  /** "" for the core group. */
  Group: string;
  /** Plural: `persistentvolumeclaims`. */
  Resource: string;
  /** "" for cluster-scoped objects. */
  Namespace: string;
  Name: string;
}

export const resourceIdentifier = struct({
  Group: always(text),
  Resource: always(text),
  Namespace: always(text),
  Name: always(text),
});

/** What an action names, as the files have it. */
export const resourceIdentifierOf = (named: {
  group: string;
  resource: string;
  namespace?: string | undefined;
  name: string;
}): ResourceIdentifier => ({
  Group: named.group,
  Resource: named.resource,
  Namespace: named.namespace ?? '',
  Name: named.name,
});
