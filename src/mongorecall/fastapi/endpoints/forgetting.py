"""Forgetting: a dry run, then the same call with what the dry run counted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.requests import Request

from mongorecall.fastapi import requests as ask
from mongorecall.fastapi._call import Call, call_of
from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards.edge import hashed
from mongorecall.fastapi.replies import Reply
from mongorecall.models import ForgetReceipt

if TYPE_CHECKING:
    from fastapi import APIRouter

    from mongorecall.base import BaseMemoryService
    from mongorecall.fastapi.router import ServiceOf

log = logging.getLogger("mongorecall.web")


def add_to(router: APIRouter, service_of: ServiceOf) -> None:
    """Add the endpoint."""

    @router.post("/forget", summary="Forget a turn, a session or a user", response_model=ForgetReceipt)
    async def forget(request: Request, body: ask.Forget) -> Reply:
        """Count what would be forgotten, or forget it for good.

        Without `dry_run: false` nothing is removed. To remove, send `expected` (the count of the dry run;
        409 when it is another by now) and `confirm` (the user id, typed).
        """
        _check_target(body)
        call, service = call_of(request, body), service_of(request)
        counted = await _forget(service, call, body, dry_run=True)
        if body.dry_run:
            return Reply(counted)
        _check_confirmed(body, call, counted)
        receipt = await _forget(service, call, body, dry_run=False)
        log.info(
            "web.forget what=%s memories=%d key=%s id=%s",
            body.what,
            receipt.forgotten,
            hashed(call.scope.app_name, call.scope.user_id),
            call.request_id,
        )
        return Reply(receipt)


def _check_target(body: ask.Forget) -> None:
    """422 unless the ids that are given are those that ``what`` needs."""
    needs = {"memory": body.memory_id, "session": body.session_id, "user": ""}[body.what]
    beside = {"memory": None, "session": body.memory_id, "user": body.memory_id or body.session_id}[body.what]
    if needs is None or beside is not None:
        raise Refusal(422)


def _check_confirmed(body: ask.Forget, call: Call, counted: ForgetReceipt) -> None:
    """422 without the user id, typed, and a count; 409 when the count is another by now."""
    if body.confirm != call.scope.user_id or body.expected is None:
        raise Refusal(422, "not_confirmed")
    if body.expected != counted.forgotten:
        raise Refusal(409)


async def _forget(
    service: BaseMemoryService, call: Call, body: ask.Forget, *, dry_run: bool
) -> ForgetReceipt:
    if body.what == "user":
        return await service.delete_user_memory(**call.ids, dry_run=dry_run)
    if body.what == "session" and body.session_id is not None:
        return await service.delete_session_memory(**call.ids, session_id=body.session_id, dry_run=dry_run)
    return await service.delete_memory(
        **call.ids, memory_id=body.memory_id, session_id=body.session_id, dry_run=dry_run
    )
