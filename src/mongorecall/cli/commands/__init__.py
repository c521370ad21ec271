"""The commands, a module each; a module has ``register(app)`` and nothing else that is public.

A command is a coroutine that takes a `Context` first, registered with `mongorecall.cli.command.command`,
which adds the options that every command has and turns errors into one line and an exit code::

    def register(app: typer.Typer) -> None:
        command(app, panel=LOOK)(stats)

    async def stats(context: Context, app_name: AppName, user_id: UserId) -> None:
        '''How much is remembered, for one user.'''
        async with context.open_service() as service:
            ...
"""
