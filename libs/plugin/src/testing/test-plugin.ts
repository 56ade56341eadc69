import type { KubeObject } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { FakeClock, type FakeCluster, fakeCluster, type LogLine, recordingLog } from '@lateen/testing';
import { actionContexts } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { pluginHandlers } from '../wire/plugin-handlers.ts';
import { callsInProcess } from './plugin-calls.ts';
import { type PluginUnderTest, pluginUnderTest } from './plugin-under-test.ts';

export interface TestPluginOptions {
  /** What the cluster has. */
  objects?: readonly KubeObject[];
  /** Instead of one with `objects`. */
  cluster?: FakeCluster;
  /** Default: a {@link FakeClock}, which stands still until it is advanced. */
  clock?: Clock;
  /** Of the server; default `velero`. */
  namespace?: string;
}

export interface TestedPlugin extends PluginUnderTest {
  /** What the plugin calls: an API server in memory, with the real one's semantics and wording. */
  readonly cluster: FakeCluster;
  readonly log: readonly LogLine[];
}

/**
 * A plugin without a process, over a cluster in memory. Whatever goes in and out is made to bytes and read again on the way. Errors are
 * those that the plugin threw.
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
