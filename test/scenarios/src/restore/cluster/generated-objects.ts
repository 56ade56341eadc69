import type { KubeObject, ObjectMeta, OwnerReference } from '@lateen/api-types';
import type { Dice } from '../../simulation/dice.ts';

/** Collects the objects of a generated cluster, each with server-side metadata as an API server stores it. */
export class GeneratedObjects {
  readonly all: KubeObject[] = [];
  readonly dice: Dice;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  /** @returns the object as it is stored */
  add(
    apiVersion: string,
    kind: string,
    at: { namespace?: string; name: string; owner?: KubeObject; metadata?: ObjectMeta },
    fields: object = {},
  ): KubeObject {
    const { dice } = this;
    const { namespace, name, owner } = at;
    const metadata: ObjectMeta = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: dice.random.uuid(),
      creationTimestamp: '2029-12-01T10:00:00Z',
      ...(dice.chance(0.4) ? { labels: { app: dice.pick(['shop', 'bank', 'mail']) } } : {}),
      ...(dice.chance(0.2) ? { annotations: { 'example.com/note': `é <&> ${name}` } } : {}),
      ...(dice.chance(0.05) ? { finalizers: ['example.com/hold'] } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [referenceTo(owner)] }),
      ...(dice.chance(0.2) ? { managedFields: [managedBy('kubectl')] } : {}),
      ...at.metadata,
    };
    const object = { apiVersion, kind, metadata, ...fields };
    this.all.push(object);
    return object;
  }

  /** Calls `make` between 0 and `most` times. */
  several(most: number, make: (at: number) => void): void {
    const count = this.dice.between(0, most);
    for (let at = 0; at < count; at += 1) make(at);
  }
}

function referenceTo({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

const managedBy = (manager: string) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2029-12-01T10:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:labels': {} } },
});
