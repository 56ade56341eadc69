import type { KubeObject } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { FakeClock, type FakeCluster, fakeCluster, type LogLine, recordingLog } from '@lateen/testing';
import { actionContexts } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { pluginHandlers } from '../wire/plugin-handlers.ts';
import { callsInProcess } from './plugin-calls.ts';
import { type PluginUnderTest, pluginUnderTest } from './plugin-under-test.ts';

export interface TestPluginOptions {
  /** Objects in the cluster. */
  objects?: readonly KubeObject[];
  /** Cluster to use instead of one with `objects`. */
  cluster?: FakeCluster;
  /** Default: a {@link FakeClock}, which stands still until it is advanced. */
  clock?: Clock;
  /** Namespace of the server; default `velero`. */
  namespace?: string;
}

export interface TestedPlugin extends PluginUnderTest {
  /** The API server that the plugin calls: in memory, with the semantics and messages of a real one. */
  readonly cluster: FakeCluster;
  readonly log: readonly LogLine[];
}

/**
 * A plugin without a process, with a cluster in memory. All messages are encoded and decoded on the way. Errors are those that the
 * plugin threw.
 */
export async function testPlugin(plugin: Plugin, options: TestPluginOptions = {}): Promise<TestedPlugin> {
  const { objects = [], clock = new FakeClock(), namespace = 'velero' } = options;
  const cluster = options.cluster ?? fakeCluster({ clock, objects });
  const log = recordingLog();
  const contextOf = actionContexts({ log, clock, kube: cluster, namespace });
  const calls = callsInProcess(pluginHandlers(plugin, contextOf, 'test'));
  const tested = await pluginUnderTest(calls, new AbortController().signal);
  return { ...tested, cluster, log: log.lines };
}
