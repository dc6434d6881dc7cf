/** What can be done with a permission request: each is a call that ends with the server's word. */

import { api } from "maia/lib/api";

/**
 * @typedef {object} RequestCalls
 * @property {(fields: Answer) => Promise<any>} answer
 * @property {(fields: {id: string, input: any, digest?: string}) => Promise<any>} propose
 *   another command, to the person in whose home it would run
 * @property {(fields: {id: string, proposal: string}) => Promise<any>} decline a proposal
 * @property {(fields: {id: string, input: any}) => Promise<Judgement>} judge what the rules say
 *   about an edited input
 */

/**
 * @typedef {object} Answer
 * @property {string} id
 * @property {string} option
 * @property {string} [digest] of the request that was seen
 * @property {string} [rule] one a line
 * @property {string} [scope]
 * @property {string} [instruction] a word to the agent
 * @property {any} [input] as it was edited
 * @property {string} [proposal] the one that is accepted
 */

/**
 * @typedef {object} Judgement
 * @property {string} verdict
 * @property {string} sentence
 * @property {import("maia/frames").RuleOffer[]} offers the rules that "always" may write
 */

/**
 * @param {(command: {type: string, [field: string]: any}) => Promise<any>} send
 * @returns {RequestCalls}
 */
export function requestCalls(send) {
  return {
    answer: (fields) => send({ type: "permission:answer", ...fields }),
    propose: (fields) => send({ type: "permission:propose", ...fields }),
    decline: (fields) => send({ type: "permission:decline", ...fields }),
    judge: ({ id, input }) => api.post(`/api/permissions/${id}/edit`, { input }),
  };
}
