/**
 * Who plays a role. Two roles are played by the same model when provider, endpoint and model are equal; a name alone
 * says little, since one name can stand at two endpoints.
 */
export interface Identity {
  /** What rows show: a model name, `function:<name>`, `template`. */
  readonly name: string
  readonly provider?: string
  readonly endpoint?: string
  readonly model?: string
}

/** Equal provider, endpoint and model, when both name a model. */
export const sameModel = (a: Identity, b: Identity): boolean =>
  a.model !== undefined && a.model === b.model && a.provider === b.provider && a.endpoint === b.endpoint
