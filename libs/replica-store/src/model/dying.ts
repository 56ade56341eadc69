/**
 * `before`: the effect did not happen. `after`: it happened, and the caller got no answer. `during`: it has begun, and continues if a process
 * is left that carries it out.
 */
export const deaths = ['before', 'after', 'during'] as const;
export type Death = (typeof deaths)[number];

export class Killed extends Error {}

export interface DeathPlan {
  /** The number of the call from now on; the next one is 1. */
  readonly step: number;
  readonly death: Death;
  /** True: every later call on these ports fails too; false: only this call fails. */
  readonly isFinal: boolean;
  onDeath(): void;
}

export interface DyingPorts<T> {
  readonly ports: T;
  /** Sets the plan; no call fails before. */
  arm(plan: DeathPlan | undefined): void;
}

/** Ports of which one call fails, alone or with all later ones. */
export function dyingPorts<T extends Record<string, object>>(real: T): DyingPorts<T> {
  let plan: DeathPlan | undefined;
  let step = 0;
  let isDead = false;
  const effect = async (perform: () => Promise<unknown>): Promise<unknown> => {
    if (isDead) throw new Killed('the process is dead');
    if (plan === undefined || ++step !== plan.step) return perform();
    const performed = plan.death === 'before' ? undefined : perform().catch(() => {});
    await (plan.death === 'after' ? performed : Promise.resolve());
    isDead = plan.isFinal;
    plan.onDeath();
    throw new Killed(`killed ${plan.death} call ${step}`);
  };
  const ports = Object.entries(real).map(([name, port]) => [
    name,
    Object.fromEntries(
      Object.entries(port).map(([method, call]: [string, (...args: never[]) => Promise<unknown>]) => [
        method,
        (...args: never[]) => effect(() => call(...args)),
      ]),
    ),
  ]);
  return {
    ports: Object.fromEntries(ports) as T,
    arm: (next) => {
      plan = next;
      step = 0;
    },
  };
}
