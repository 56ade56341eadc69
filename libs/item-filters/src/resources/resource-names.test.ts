import { describe, expect, it } from 'vitest';
import { knownTypes } from '../testing/known-cluster.ts';
import { resourceNames } from './resource-names.ts';

describe('resource names', () => {
  it.each([
    ['pods', 'pods'],
    ['pod', 'pods'],
    ['po', 'pods'],
    ['Pod', 'pods'],
    ['PODS', 'pods'],
    ['cm', 'configmaps'],
    ['ConfigMap', 'configmaps'],
    ['pv', 'persistentvolumes'],
    ['pvc', 'persistentvolumeclaims'],
    ['deployments', 'deployments.apps'],
    ['deploy', 'deployments.apps'],
    ['Deployment', 'deployments.apps'],
    ['deployments.apps', 'deployments.apps'],
    ['deployment.apps', 'deployments.apps'],
    ['deploy.apps', 'deployments.apps'],
    ['Deployment.apps', 'deployments.apps'],
    ['deployments.v1.apps', 'deployments.apps'],
    ['crd', 'customresourcedefinitions.apiextensions.k8s.io'],
    ['ingress', 'ingresses.networking.k8s.io'],
    ['sc', 'storageclasses.storage.k8s.io'],
    ['widgets', 'widgets.example.com'],
    ['widget.example.com', 'widgets.example.com'],
    // Two groups serve it: the first in the server's order of preference counts.
    ['events', 'events'],
    ['events.events.k8s.io', 'events.events.k8s.io'],
    // The cluster does not serve it: the name stays as it is.
    ['*', '*'],
    ['*.example.com', '*.example.com'],
    ['gadgets.example.com', 'gadgets.example.com'],
    ['deployments.extensions', 'deployments.extensions'],
    ['', ''],
  ])('%j resolves to %s', (name, resource) => expect(resourceNames(knownTypes).resolve(name)).toBe(resource));
});
