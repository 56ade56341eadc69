import { describe, expect, it } from 'vitest';
import { type CaseRun, type GeneratedCase, generatedCase, runCase } from './generated-case.ts';
import { backedUp } from './restore-world.ts';
import { differences } from './restored-state.ts';

/*
 * The plan of a restore says of each object what the restore then does with it. One thing nobody can be asked before: whether a webhook lets
 * in an object whose namespace or definition is not there yet; the plan says that it could not ask.
 */

const seeds = 240;
const perTest = 20;

const actOf = (outcome: string): string => outcome.split(' | ')[0] ?? '';
/** Nobody could be asked: it is not in the cluster, and where it goes is not there either. */
const isUnasked = (place: string, would: string): boolean =>
  would.includes(' is not there yet') || / (shop|bank|mail|shop-2|vault)\/(default|kube-root-ca.crt)$/.test(place);

/** A webhook has refused it, or what a pod needs. */
const isRefused = (place: string, did: string): boolean =>
  did.endsWith('webhook no.example.com') ||
  (place.startsWith('Pod ') && /(serviceaccount|PriorityClass) .* found/.test(did));

/** By place: what it does with the object, or would do. */
function acts(plan: CaseRun, restore: CaseRun, one: GeneratedCase): { planned: Acts; done: Acts } {
  const planned: Acts = {};
  const done: Acts = {};
  for (const place of new Set([...Object.keys(plan.outcomes), ...Object.keys(restore.outcomes)])) {
    const [would, did] = [plan.outcomes[place] ?? '', restore.outcomes[place] ?? ''];
    if (one.denied.size > 0 && isUnasked(place, would) && isRefused(place, did)) continue;
    planned[place] = actOf(would);
    done[place] = actOf(did);
  }
  return { planned, done };
}

type Acts = Record<string, string>;

describe('the plan of a restore of generated clusters', () => {
  const firsts = Array.from({ length: seeds / perTest }, (_, at) => 1 + at * perTest);
  it.each(firsts)(
    'says what the restore then does, object by object, and writes nothing, seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + perTest; seed += 1) {
        const one = generatedCase(seed);
        const stored = await backedUp(one.source);
        const plan = await runCase(one, stored, { parallel: 8, dryRun: true });
        const restore = await runCase(one, stored, { parallel: 8 });
        const { planned, done } = acts(plan, restore, one);
        expect(differences(planned, done), `seed ${seed}`).toEqual({});
        expect(differences(plan.before, plan.state), `seed ${seed}`).toEqual({});
      }
    },
  );
});
